"""The specification itself, on examples that can be followed by hand."""

from __future__ import annotations

from bpe_tui.bpe import reference


def test_the_most_frequent_pair_is_merged_first() -> None:
    merges, reason = reference.train("low lower lowest", 100)
    # l+o, o+w occur three times each; l+o stands first.
    assert merges[0] == (("l", "o"), 3, 13)
    assert merges[1] == (("lo", "w"), 3, 10)
    assert reason == "minimum-frequency"


def test_overlapping_pairs_are_counted_but_replaced_without_overlap() -> None:
    merges, _ = reference.train("aaaa", 2)
    assert merges == [(("a", "a"), 3, 2)]
    assert reference.replace_pair("aaa", ("a", "a")) == ["aa", "a"]


def test_a_tie_goes_to_the_pair_met_first() -> None:
    merges, _ = reference.train("xyabxyab", 5)
    assert merges[0].pair == ("x", "y")


def test_a_string_made_a_second_way_is_a_merge_but_no_new_token() -> None:
    merges = [("a", "b"), ("ab", "c"), ("b", "c"), ("a", "bc")]
    assert reference.vocabulary("abc", merges) == ["a", "b", "c", "ab", "abc", "bc"]


def test_a_rule_does_not_fire_again_after_its_turn() -> None:
    merges = [("a", "b"), ("ab", "c"), ("abc", "d"), ("b", "c"), ("a", "bc")]
    # "abc" can only come about at the second rule here: the first takes a+b. Without that rule it comes last.
    assert reference.encode("abcd", merges) == ["abcd"]
    assert reference.encode("abcd", merges[3:] + merges[2:3]) == ["abcd"]
    late = [("b", "c"), ("a", "bc"), ("abc", "d"), ("a", "b"), ("ab", "c")]
    assert reference.encode("abcd", late) == ["abcd"]
    too_late = [("a", "b"), ("ab", "c"), ("abc", "d"), ("d", "a"), ("b", "d"), ("a", "b"), ("ab", "c")]
    assert reference.encode("abab", too_late) == ["ab", "ab"]


def test_each_end_of_training() -> None:
    assert reference.train("abab", 2) == ([], "target")
    assert reference.train("a", 5) == ([], "no-pairs")
    assert reference.train("ab", 5)[1] == "minimum-frequency"
    assert reference.train("ab", 5, minimum_pair_frequency=1) == ([(("a", "b"), 1, 1)], "no-pairs")
