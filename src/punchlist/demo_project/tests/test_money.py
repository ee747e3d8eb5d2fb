import unittest

from shop.money import cents, shown


class Money(unittest.TestCase):
    def test_reads_an_amount(self) -> None:
        self.assertEqual(cents("12.50"), 1250)

    def test_reads_a_whole_amount(self) -> None:
        self.assertEqual(cents("12"), 1200)

    def test_reads_an_empty_fraction(self) -> None:
        self.assertEqual(cents("12."), 1200)

    def test_shows_an_amount(self) -> None:
        self.assertEqual(shown(1250), "12.50")

    def test_shows_cents_with_two_digits(self) -> None:
        self.assertEqual(shown(1205), "12.05")

    def test_shows_many_amounts(self) -> None:
        for amount in range(0, 500, 5):
            with self.subTest(amount=amount):
                self.assertEqual(cents(shown(amount)), amount)


for number in range(40):

    def check(self: unittest.TestCase, number: int = number) -> None:
        self.assertEqual(cents(f"{number}.10"), number * 100 + 10)

    setattr(Money, f"test_reads_{number}_and_ten_cents", check)
