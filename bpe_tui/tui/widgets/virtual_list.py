"""A list that asks for the rows it shows and for no others, so that 200,000 rows cost what 20 do.

Over a slow line, bytes are what counts: after a change the list compares each line on screen with what it now should
show and repaints only those that differ. What a line shows is also the key of the cache that holds it.

The list reads its rows from a `Rows` and is told `data_changed()` when they may have changed. It can follow the end:
new rows scroll in and the cursor stays on the last one, until the user moves up or scrolls; then a sign counts what is
new, and End resumes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBarRender
from textual.widget import Widget

from bpe_tui.terminal import cell_width, count
from bpe_tui.tui.widgets.columns import Cell, Column, Placed, place
from bpe_tui.tui.widgets.list_lines import ROLES, BlankLine, HeaderLine, Line, RowLine, changed_cells, draw

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style
    from textual import events
    from textual.strip import Strip

HEADER: Final = 1
"""Lines above the rows."""


class _AsciiScrollBar(ScrollBarRender):
    """A scrollbar whose thumb ends with whole cells."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8


class Rows(Protocol):
    """Where a list gets its rows from."""

    def count(self) -> int:
        """Give how many rows there are."""

    def row(self, index: int) -> tuple[Cell, ...]:
        """Give the cells of one row, one for each column; text from outside made visible already."""


class VirtualList(ScrollView, can_focus=True, inherit_bindings=False):
    """A scrolling list with a fixed header and a cursor, over a `Rows`."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "first", "First", show=False),
        Binding("end", "last", "Last", show=False),
        Binding("enter", "select", "Open", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"virtual-list--{role}" for role in ROLES}
    DEFAULT_CSS = """
    VirtualList {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    VirtualList > .virtual-list--text { color: $foreground; }
    VirtualList > .virtual-list--muted { color: $text-muted; }
    VirtualList > .virtual-list--accent { color: $text-accent; }
    VirtualList > .virtual-list--strong { color: $foreground; text-style: bold; }
    VirtualList > .virtual-list--header { color: $text-muted; text-style: bold; }
    VirtualList > .virtual-list--cursor {
        color: $block-cursor-foreground; background: $block-cursor-background; text-style: bold;
    }
    VirtualList > .virtual-list--cursor-blurred { background: $block-cursor-blurred-background; text-style: bold; }
    VirtualList > .virtual-list--badge { color: $block-cursor-foreground; background: $block-cursor-background; }
    """

    class Highlighted(Message):
        """The cursor stands on another row."""

        def __init__(self, virtual_list: VirtualList, index: int) -> None:
            self.virtual_list = virtual_list
            self.index = index
            super().__init__()

        @property
        def control(self) -> VirtualList:
            """Give the list that the message is about."""
            return self.virtual_list

    class Selected(Highlighted):
        """A row was chosen with Enter or a double click."""

    class HeaderClicked(Message):
        """The title of a column was clicked."""

        def __init__(self, virtual_list: VirtualList, key: str) -> None:
            self.virtual_list = virtual_list
            self.key = key
            super().__init__()

        @property
        def control(self) -> VirtualList:
            """Give the list that the message is about."""
            return self.virtual_list

    class FollowChanged(Message):
        """The list began or ceased to follow the end."""

        def __init__(self, virtual_list: VirtualList, follows: bool) -> None:
            self.virtual_list = virtual_list
            self.follows = follows
            super().__init__()

        @property
        def control(self) -> VirtualList:
            """Give the list that the message is about."""
            return self.virtual_list

    def __init__(
        self,
        rows: Rows,
        columns: Sequence[Column],
        *,
        can_follow: bool = False,
        empty: str = "",
        ascii_only: bool = False,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 - Textual's own name for it
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._rows = rows
        self._columns = tuple(columns)
        self._sorted_by: tuple[str, bool] | None = None
        self._placed: tuple[Placed, ...] = ()
        self._placed_width = -1
        self._empty = empty
        self._ascii_only = ascii_only
        self._can_follow = can_follow
        self._follows = can_follow
        self._seen = 0
        self._count = 0
        self._cursor = 0
        self._painted: dict[int, Line] = {}
        self._strips: LRUCache[Line, Strip] = LRUCache(512)
        self._styles_by_role: dict[str, Style] = {}
        self._bar_look: tuple[int, int, int] = (0, 0, 0)
        self._moving = False
        self._width = self._height = 0

    # What its owner uses

    @property
    def cursor(self) -> int:
        """The row that the cursor stands on; 0 when there are none."""
        return self._cursor

    @property
    def follows(self) -> bool:
        """Whether the list shows the end as it grows."""
        return self._follows

    @property
    def unseen(self) -> int:
        """Rows that came since the list ceased to follow."""
        return max(0, self._count - self._seen) if self._can_follow and not self._follows else 0

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns, those that found no room included."""
        return self._columns

    def data_changed(self) -> None:
        """Look at the rows again and repaint the lines that now show something else; cheap when none does."""
        self._measure()
        self._count = self._rows.count()
        self._cursor = max(0, min(self._cursor, self._count - 1))
        self._update_extent()
        if self._follows:
            self._cursor = max(0, self._count - 1)
            self._scroll_to_row(self.max_scroll_y)
        self._repaint()

    def restart(self) -> None:
        """Begin anew with rows that have nothing to do with those before: following if it can, else at the top."""
        self._cursor = 0
        self._seen = 0
        self._scroll_to_row(0)
        if self._can_follow and not self._follows:
            self.set_follows(True)
        else:
            self.data_changed()

    def set_columns(self, columns: Sequence[Column], sorted_by: tuple[str, bool] | None = None) -> None:
        """Take other columns; `sorted_by` is the key of the sorted one and whether it descends. Cheap when equal."""
        if tuple(columns) == self._columns and sorted_by == self._sorted_by:
            return
        self._columns = tuple(columns)
        self._sorted_by = sorted_by
        self._placed_width = -1
        self._repaint()

    def set_empty(self, text: str) -> None:
        """Say `text` where rows would be while there are none."""
        if text != self._empty:
            self._empty = text
            self._repaint()

    def set_ascii_only(self, ascii_only: bool) -> None:
        """Draw with ASCII signs alone, or no longer."""
        if ascii_only != self._ascii_only:
            self._ascii_only = ascii_only
            self._choose_scrollbar()
            self._repaint()

    def move_cursor(self, index: int, *, scroll: bool = True) -> None:
        """Put the cursor on a row, and bring it into view if `scroll`. Does not change whether the list follows."""
        index = max(0, min(index, self._count - 1))
        moved = index != self._cursor
        self._cursor = index
        if scroll:
            top, height = self._top, self._page
            if index < top:
                self._scroll_to_row(index)
            elif index >= top + height:
                self._scroll_to_row(index - height + 1)
        self._repaint()
        if moved:
            self.post_message(self.Highlighted(self, index))

    def set_follows(self, follows: bool) -> None:
        """Begin or cease to follow the end; beginning shows it at once. Nothing in a list that cannot follow."""
        if not self._can_follow or follows == self._follows:
            return
        self._follows = follows
        self._seen = self._count
        if follows:
            self.data_changed()
        else:
            self._repaint()
        self.post_message(self.FollowChanged(self, follows))

    # What the user does

    def action_move(self, rows: int) -> None:
        """Move the cursor; up ceases to follow."""
        if rows < 0:
            self.set_follows(False)
        self.move_cursor(self._cursor + rows)

    def action_page(self, pages: int) -> None:
        """Move the cursor by as many rows as are shown."""
        self.action_move(pages * max(1, self._page - 1))

    def action_first(self) -> None:
        """Go to the first row."""
        self.set_follows(False)
        self.move_cursor(0)

    def action_last(self) -> None:
        """Go to the last row and follow the end from now on."""
        self.move_cursor(self._count - 1)
        self.set_follows(True)

    def action_select(self) -> None:
        """Choose the row that the cursor stands on."""
        if self._count:
            self.post_message(self.Selected(self, self._cursor))

    def on_click(self, event: events.Click) -> None:
        """Move the cursor, choose with a second click, sort by a title, resume by the sign that counts."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        event.stop()
        if offset.y < HEADER:
            for position in self._placed:
                if position.start <= offset.x < position.start + max(1, position.width):
                    self.post_message(self.HeaderClicked(self, position.column.key))
            return
        badge = self._badge()
        if badge and offset.y == self._height - 1 and offset.x >= self._width - cell_width(badge):
            self.action_last()
            return
        index = self._top + offset.y - HEADER
        if not 0 <= index < self._count:
            return
        if index != self._count - 1:
            self.set_follows(False)
        self.move_cursor(index)
        if event.chain == 2:
            self.action_select()

    # Scrolling

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Repaint the lines that changed; whoever scrolls by hand ceases to follow."""
        if round(old_value) == round(new_value):
            return
        if self._follows and not self._moving and new_value < self.max_scroll_y:
            self.set_follows(False)
        self._sync_scrollbar()
        if not self._moving:
            self._repaint()

    def _scroll_to_row(self, top: int) -> None:
        # Not an act of the user: a list that follows goes on following.
        self._moving = True
        try:
            self.scroll_target_y = self.scroll_y = max(0, min(top, self.max_scroll_y))
        finally:
            self._moving = False

    def _update_extent(self) -> None:
        size = Size(0, self._count + HEADER)
        if size == self.virtual_size:
            return
        # Telling Textual the usual way lays out the whole screen; nothing but the scrollbar depends on this size.
        self.set_reactive(Widget.virtual_size, size)
        self._refresh_scrollbars()
        if self.scroll_y > self.max_scroll_y:
            self._scroll_to_row(self.max_scroll_y)
        self._sync_scrollbar()

    def _sync_scrollbar(self, *, exactly: bool = False) -> None:
        """Tell the scrollbar where it is, if that changes how it looks or if it must know `exactly`."""
        height, total = self._height, self._count + HEADER
        if not self.show_vertical_scrollbar or height <= 0 or total <= height:
            return
        bar = self.vertical_scrollbar
        # Measured as the scrollbar draws itself: in eighths of a cell.
        thumb = max(1.0, height * height / total)
        start = int((height - thumb) * self.scroll_y / (total - height) * 8)
        look = (height, start, start + math.ceil(thumb * 8))
        if self._follows:
            # It stays at the end and only shrinks: whole cells will do, or it is drawn at every tick for nothing.
            look = (height, -1, round(thumb))
        if look == self._bar_look and not exactly and not bar.mouse_over:
            return
        self._bar_look = look
        bar.window_virtual_size = total
        bar.window_size = height
        bar.position = self.scroll_y

    def _choose_scrollbar(self) -> None:
        if self.is_mounted:
            self.vertical_scrollbar.renderer = _AsciiScrollBar if self._ascii_only else ScrollBarRender  # type: ignore[misc]
            self.vertical_scrollbar.refresh()

    def _scrollbar_touched(self, mouse_over: bool) -> None:
        # Dragging multiplies by the number of rows: what was near enough to look at is not near enough to drag.
        if mouse_over:
            self._sync_scrollbar(exactly=True)

    # Painting

    @property
    def _top(self) -> int:
        return round(self.scroll_y)

    def _measure(self) -> None:
        # Asked for once and not for every line: Textual works it out from styles and regions each time.
        self._width, self._height = self.scrollable_content_region.size

    @property
    def _page(self) -> int:
        return max(1, self._height - HEADER)

    def on_mount(self) -> None:
        """Look at the rows for the first time."""
        self.watch(self.vertical_scrollbar, "mouse_over", self._scrollbar_touched, init=False)
        self._choose_scrollbar()
        self.data_changed()

    def on_resize(self) -> None:
        """Keep the end in view, or else the cursor's row where it was."""
        self._painted.clear()
        self.data_changed()

    def on_focus(self) -> None:
        """Show that the cursor can be moved."""
        self._repaint()

    def on_blur(self) -> None:
        """Show that the cursor cannot be moved."""
        self._repaint()

    def notify_style_update(self) -> None:
        """Forget lines drawn in the colours of before."""
        self._strips.clear()
        self._styles_by_role.clear()
        self._painted.clear()
        super().notify_style_update()

    def _repaint(self) -> None:
        """Refresh the lines that no longer show what they should, each as far as it changed."""
        if not self.is_mounted:
            return
        self._measure()
        first = 0
        wide = 0
        height = self._height
        for y in range(height + 1):
            changed = changed_cells(self._painted.get(y), self._line(y)) if y < height else 0
            if changed == wide:
                continue
            if wide:
                self.refresh(Region(0, first, wide, y - first))
            first, wide = y, changed

    def _line(self, y: int) -> Line:
        """Give what a line on screen is to show now."""
        width, ascii_only = self._width, self._ascii_only
        if y < HEADER:
            return HeaderLine(self._placed_for(width), self._sorted_by, width, ascii_only)
        index = self._top + y - HEADER
        if not 0 <= index < self._count:
            return BlankLine(self._empty if y == HEADER and not self._count else "", width, ascii_only)
        look = ("cursor" if self.has_focus else "cursor-blurred") if index == self._cursor else ""
        badge = self._badge() if y == self._height - 1 else ""
        return RowLine(self._placed_for(width), self._rows.row(index), look, badge, width, ascii_only)

    def render_line(self, y: int) -> Strip:
        """Give one line on screen."""
        if y == 0:
            self._measure()
        shown = self._line(y)
        self._painted[y] = shown
        strip = self._strips.get(shown)
        if strip is None:
            strip = self._strips[shown] = draw(shown, self._style)
        return strip

    def _badge(self) -> str:
        unseen = self.unseen
        return f" {count(unseen)} new {'v' if self._ascii_only else '↓'} " if unseen else ""

    def _placed_for(self, width: int) -> tuple[Placed, ...]:
        if width != self._placed_width:
            self._placed = place(self._columns, width)
            self._placed_width = width
        return self._placed

    def _style(self, role: str) -> Style:
        style = self._styles_by_role.get(role)
        if style is None:
            style = self.get_component_rich_style(f"virtual-list--{role}")
            self._styles_by_role[role] = style
        return style
