"""Registry rows: checkers of TeX, XML and HTML."""

from punchlist.reading.registry.record import Parser

PARSERS: tuple[Parser, ...] = (
    Parser(
        "chktex",
        "rows:markup",
        commands=("chktex",),
        signs=("Warning ", "Error "),
        sign=r"^(?:Warning|Error|Message) \d+ in \S.* line \d+: ",
        anchors=(b" line ", b".tex:"),
        formats="default, -v0",
    ),
    Parser(
        "xmllint",
        "rows:markup",
        commands=("xmllint", "xsltproc"),
        signs=(" error : ", " warning : "),
        sign=r"^[^\s:][^:\n]*:\d+: (?:element \S+: )?(?:[\w.]+ )+(?:error|warning) : ",
        anchors=(b" error : ", b" warning : ", b"validate"),
        formats="libxml2's messages",
    ),
    Parser(
        "tidy",
        "rows:markup",
        commands=("tidy",),
        signs=(" column ",),
        sign=r"^line \d+ column \d+ - (?:Error|Warning|Info): ",
        anchors=(b" column ", b"Tidy found"),
        formats="default, --gnu-emacs",
    ),
)
