"""A short text of everything that tokenizers treat differently, to hold two of them against each other."""

from __future__ import annotations

_LINES = (
    "The quick brown fox jumps over the lazy dog. I'm, you're, he'll, we've, they'd, it's, DON'T, I'LL, ſ'ſ, 'ſ",
    "  leading, double  and   triple spaces, a\ttab,\t\ttwo, trailing spaces   ",
    "\r\nline ends of\r\nother systems\rand blank lines\n\n\n   \n\t\n  end\n \n",
    "0 1 12 123 1234 12345 1234567890 3.14159 1,000,000 1e-9 0xDEADBEEF ½ ² Ⅻ ٣٤٥ १२३ 4️⃣",
    "snake_case camelCase PascalCase HTTPServer kebab-case x=y+1; if (a[i] != b->c) { return f(x, *y); } // ok /* */",
    "https://example.org/a/b?c=d&e=f#g user.name+tag@example.com #hashtag @mention $100 €50 £20 100% C++ <br/> </w> #x",
    "Café naïve Ærøskøbing Łódź İstanbul straße ŒUVRE ﬁne ǅ café re\u0301sume\u0301 A\u030a \u1e9b\u0323",
    "Съешь ещё этих мягких французских булок, да выпей чаю. Ξεσκεπάζω τὴν ψυχοφθόρα βδελυγμία. Հայերեն. ქართული ენა.",
    "敏捷的棕色狐狸跳过懒狗。いろはにほへと ちりぬるを。イロハ、カタカナ。키스의 고유조건은 입술끼리. \u1112\u1161",
    "نص عربي مع تَشْكِيل. עברית עם נִקּוּד. हिन्दी में पाठ। বাংলা লেখা। தமிழ் உரை. ภาษาไทยไม่มีช่องว่าง. မြန်မာစာ. ខ្មែរ. አማርኛ",
    "🙂👍🏽👩‍👩‍👧‍👦🇩🇪❤️ ∑∫√∞≠≤ →←↑↓ ░▒▓ ♠♣♥♦ \u200b\u200d\u2060\ufeff\u00ad\u00a0\u2003\u2028\u2029\u3000\x85",
    "\x00\x01\x07\x1b\x1c\x1f\x7f \U0001d518\U0001d52b\U00020000\U0010ffff \ue000 \u0378 \ufffd\uffff",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bababababab " + " " * 70 + "!" * 50,
    "<|endoftext|> <s></s> [CLS][SEP][MASK] <unk> <pad> <|im_start|>user\nHi<|im_end|>",
    "def f(x):\n    return {\n        'a': [1, 2, 3],\n    }\n\n\nclass A(B):\n\tpass\n",
)

SAMPLE: str = "\n".join(_LINES) + "\n" * 3 + " " * 5
"""The text. It ends in white space, which some rules cut differently at the end of a text."""
