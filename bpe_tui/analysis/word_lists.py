"""Words and texts that tokenizers are apt to cut badly, by theme."""

from __future__ import annotations

WORD_LISTS: dict[str, tuple[str, ...]] = {
    "words": (
        "the", "lower", "tokenization", "electromagnetism", "neurocomputational", "uncharacteristically",
        "antidisestablishmentarianism", "counterrevolutionaries", "deinstitutionalization", "hippopotamus",
        "onomatopoeia", "photosynthesis", "Donaudampfschifffahrtsgesellschaft", "incomprehensibilities",
    ),
    "nonsense": ("zyxwv", "qqqq", "xkcdzw", "brillig", "slithy", "aaaaaaaaaaaaaaaa", "asdfghjkl", "mxyzptlk"),
    "identifiers": (
        "getElementById", "HTTPServerConnection", "max_position_embeddings", "__init__", "std::unordered_map",
        "kebab-case-name", "SCREAMING_SNAKE_CASE", "i18n", "x86_64", "0xDEADBEEF", "node_modules/.bin",
        "https://example.org/a/b?c=d&e=f#g", "user.name+tag@example.org", "for(int i=0;i<n;++i){",
    ),
    "numbers": (
        "7", "42", "100", "1234", "12345", "1234567890", "3.14159265358979", "1,000,000", "1e-9", "-273.15",
        "2024-02-29", "23:59:59", "½", "٣٤٥", "MCMXCIV", "+49 30 123456", "192.168.0.1", "99.9%",
    ),
    "emoji": (
        "🙂", "👍🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇨🇭", "1️⃣", "❤️", "🧑🏿‍🚀", "🀄", "☃",
    ),
    # Article 1 of the Universal Declaration of Human Rights, first sentence, as published by the OHCHR.
    "languages": (
        "All human beings are born free and equal in dignity and rights.",
        "Alle Menschen sind frei und gleich an Würde und Rechten geboren.",
        "Tous les êtres humains naissent libres et égaux en dignité et en droits.",
        "Todos los seres humanos nacen libres e iguales en dignidad y derechos.",
        "Todos os seres humanos nascem livres e iguais em dignidade e em direitos.",
        "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti.",
        "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.",
        "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.",
        "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan.",
        "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.",
        "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền.",
        "Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama.",
        "Все люди рождаются свободными и равными в своем достоинстве и правах.",
        "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
        "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",
        "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.",
        "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
        "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
        "人人生而自由，在尊严和权利上一律平等。",
        "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    ),
}  # fmt: skip
