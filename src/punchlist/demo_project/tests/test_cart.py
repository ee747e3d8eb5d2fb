import unittest

from shop.cart import Cart


class Carts(unittest.TestCase):
    def setUp(self) -> None:
        self.cart = Cart()
        self.cart.add("tea", "4.50", 3)

    def test_total_counts_quantities(self) -> None:
        self.assertEqual(self.cart.total(), 1350)

    def test_same_article_is_one_line(self) -> None:
        self.cart.add("tea", "4.50")
        self.assertEqual(len(self.cart.lines), 1)

    def test_refuses_a_negative_quantity(self) -> None:
        with self.assertRaises(ValueError):
            self.cart.add("mug", "9.00", -1)
