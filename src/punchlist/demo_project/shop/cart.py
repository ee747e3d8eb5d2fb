"""A cart of lines."""

from shop.money import cents


class Cart:
    """Lines of (name, price, quantity)."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, int, int]] = []

    def add(self, name: str, price: str, quantity: int = 1) -> None:
        """Add a line; the same article twice is one line."""
        self.lines.append((name, cents(price), quantity))

    def total(self) -> int:
        """Sum of all lines in cents."""
        return sum(price for _, price, quantity in self.lines)
