"""The interpreter workload: orders are made, kept in classes, dicts and lists, written as JSON, read
back, matched and summed up. Prints one digest that depends on the argument alone.

    interp.py ROUNDS
"""

import hashlib
import json
import re
import sys
from collections import Counter, OrderedDict, defaultdict


class Numbers:
    """A small deterministic generator, the same in every version of Python."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit


class Item:
    def __init__(self, name, price, count):
        self.name = name
        self.price = price
        self.count = count

    def total(self):
        return self.price * self.count


class Order:
    def __init__(self, number, customer, items, tags):
        self.number = number
        self.customer = customer
        self.items = items
        self.tags = tags

    def as_dict(self):
        return {
            "number": self.number,
            "customer": self.customer,
            "tags": sorted(self.tags),
            "items": [{"name": i.name, "price": i.price, "count": i.count} for i in self.items],
        }

    @staticmethod
    def from_dict(fields):
        items = [Item(i["name"], i["price"], i["count"]) for i in fields["items"]]
        return Order(fields["number"], fields["customer"], items, set(fields["tags"]))


def make_orders(numbers, count):
    orders = []
    for number in range(count):
        items = [
            Item("article-%d" % numbers.below(900), numbers.below(10000), 1 + numbers.below(5))
            for _ in range(1 + numbers.below(6))
        ]
        customer = "customer %05d of the %d. district" % (numbers.below(3000), numbers.below(40))
        tags = {"tag%d" % numbers.below(50) for _ in range(numbers.below(5))}
        orders.append(Order(number, customer, items, tags))
    return orders


def summarize(orders):
    by_customer = defaultdict(list)
    articles = Counter()
    for order in orders:
        by_customer[order.customer].append(sum(item.total() for item in order.items))
        articles.update({item.name: item.count for item in order.items})
    best = sorted(by_customer.items(), key=lambda entry: (-sum(entry[1]), entry[0]))[:20]
    return OrderedDict(best), articles.most_common(20)


def find_words(text):
    words = re.findall(r"[a-z]+|\d+", text)
    return Counter(word.upper() for word in words).most_common(30)


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit("usage: interp.py ROUNDS")
    numbers = Numbers(1)
    digest = hashlib.sha256()
    kept = []
    for _ in range(int(sys.argv[1])):
        orders = make_orders(numbers, 600)
        text = json.dumps([order.as_dict() for order in orders])
        again = [Order.from_dict(fields) for fields in json.loads(text)]
        kept = kept[-3:] + [again]
        for part in (summarize(again), find_words(text)):
            digest.update(repr(part).encode())
    print(digest.hexdigest())


if __name__ == "__main__":
    main()
