"""Amounts of money in cents."""


def cents(text: str) -> int:
    """Read `12.50` as 1250."""
    whole, _, part = text.partition(".")
    return int(whole) * 100 + int(part)


def shown(amount: int) -> str:
    """Write 1250 as `12.50`."""
    return f"{amount // 100}.{amount % 100}"
