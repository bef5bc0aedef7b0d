"""order.py - who knows what to be done when: the order that a program keeps by construction.

Commands are nodes; sets of them are bits of a whole number. A node starts after everything in `before`. A thread
has `known`, the nodes that it knows to be done, `given`, those that it knows to be enqueued, and `objects`, those
that it knows to be made. A conflict that nothing orders yet is given an order: by a list of waits, by a thread that
waits, asks again and again or is called back, or by another thread that knows.
"""

import random


class Node:
    def __init__(self, number, queue, thread, before, users):
        self.number, self.queue, self.thread = number, queue, thread
        self.before, self.users = before, users
        self.event = None  # its slot, while the program has it
        self.barrier = False
        self.loose = False  # the order of its queue says nothing of it

    @property
    def bit(self):
        return 1 << self.number

    @property
    def done(self):
        return self.before | self.bit


class Thread:
    def __init__(self):
        self.known = self.given = self.objects = 0


class Order:
    """Steps of a program while it is written, and the order among them."""

    def __init__(self, threads):
        self.threads = [Thread() for _ in range(threads)]
        self.nodes = []
        self.steps = []  # lines
        self.accesses = {}  # root: [(first, end, writes, node)]
        self.flags = 0
        self.slots = 0
        self.pending = set()  # user events that nobody completed yet

    # --- steps

    def step(self, thread, words, text=""):
        self.steps.append(f"{thread} {words}" + "".join(f"\n|{line}" for line in text.splitlines()))
        return len(self.steps) - 1

    def slot(self):
        self.slots += 1
        return self.slots - 1

    def hand_over(self, source, to):
        """What a thread knows, another one knows from here on."""
        if source == to:
            return
        self.flags += 1
        self.step(source, f"signal {self.flags}")
        self.step(to, f"await {self.flags}")
        one, other = self.threads[source], self.threads[to]
        other.known |= one.known
        other.given |= one.given
        other.objects |= one.objects

    def made(self, thread, object_id):
        self.threads[thread].objects |= 1 << object_id

    def meet(self, thread, thing):
        """The thread may use what another one made."""
        if not self.threads[thread].objects >> thing.id & 1:
            self.hand_over(thing.thread, thread)

    def meet_node(self, thread, node):
        if not self.threads[thread].given & node.bit:
            self.hand_over(node.thread, thread)

    # --- nodes

    def of(self, bits):
        return [node for node in self.nodes if bits & node.bit]

    def unfinished_users(self, bits):
        users = set()
        for node in self.of(bits):
            users |= node.users
        return users & self.pending

    def conflicts(self, touched):
        bits = 0
        for root, first, end, writes in touched:
            for other_first, other_end, other_writes, node in self.accesses.get(root, ()):
                if first < other_end and other_first < end and (writes or other_writes):
                    bits |= node.bit
        return bits

    def by_queue(self, thread, queue):
        """What is done before a command that this thread gives to the queue now."""
        bits = 0
        seen = [n for n in self.nodes if n.queue is queue and self.threads[thread].given & n.bit]
        for node in seen:
            if node.barrier or not (queue.out_of_order or node.loose):
                bits |= node.done
        return bits

    def add(self, thread, queue, before, touched, users=()):
        node = Node(len(self.nodes), queue, thread, before, set(users) | self.unfinished_users(before))
        self.nodes.append(node)
        self.threads[thread].given |= node.bit
        for root, first, end, writes in touched:
            self.accesses.setdefault(root, []).append((first, end, writes, node))
        return node

    # --- a thread that waits

    def complete(self, thread, users):
        for user in sorted(users, key=lambda one: one.id):
            self.meet(thread, user)
            self.step(thread, f"complete {user.slot}")
            self.pending.discard(user)

    def learn(self, thread, bits):
        self.threads[thread].known |= bits

    def wait_by_host(self, thread, node, chance, ways):
        """The thread knows that the node is done."""
        state = self.threads[thread]
        if state.known & node.bit:
            return
        if node.queue is None:
            return self.hand_over(node.thread, thread)
        self.meet_node(thread, node)
        if state.known & node.bit:
            return
        possible = ["finish"] if node.queue.alive else []
        if node.event is not None:
            possible += [way for way in ("waitfor", "poll", "callback", "relay", "sleep") if ways.get(way)]
            if node.queue.profiling and ways.get("polltimes"):
                possible.append("polltimes")
        way = chance.choices(possible, [ways.get(one, 1) for one in possible])[0]
        if way == "finish":
            seen = 0
            for other in self.nodes:
                if other.queue is node.queue and state.given & other.bit:
                    seen |= other.done
            # Somebody else may be giving commands to it: theirs must not be stuck either.
            every = 0
            for other in self.nodes:
                if other.queue is node.queue:
                    every |= other.done
            self.complete(thread, self.unfinished_users(every))
            self.step(thread, f"finish {node.queue.slot}")
            return self.learn(thread, seen)
        self.complete(thread, self.unfinished_users(node.done))
        if way != "waitfor":
            self.step(thread, f"flush {node.queue.slot}") if node.queue.alive else None
        if way == "waitfor":
            self.step(thread, f"waitfor wait={node.event}")
        elif way in ("poll", "polltimes"):
            self.step(thread, f"{way} {node.event}")
        elif way == "relay":
            others = [q for q in {n.queue for n in self.nodes} if q and q is not node.queue and q.alive]
            other = min(others, key=lambda q: q.id, default=node.queue)
            self.meet(thread, other)
            self.step(thread, f"relay {node.event} {other.slot}")
        elif way == "sleep":
            self.step(thread, "sleep 250")
        else:
            self.flags += 1
            self.step(thread, f"callback {node.event} {self.flags}")
            self.step(thread, f"await {self.flags}")
        self.learn(thread, node.done)

    # --- a command that follows others

    def follow(self, thread, queue, needed, chance, ways, loose=False):
        """Orders a command that the thread is about to give after the needed nodes: before, waits."""

        def by_itself():
            return self.threads[thread].known | (0 if loose else self.by_queue(thread, queue))

        before = by_itself()
        waits = []
        order = self.of(needed & ~before)
        chance.shuffle(order)
        for node in order:
            before |= by_itself()
            if before & node.bit:
                continue
            can_list = node.queue and node.event is not None and node.queue.context is queue.context
            if node.queue is None:
                self.hand_over(node.thread, thread)
            elif can_list and chance.random() < ways.get("list", 0.7):
                self.meet_node(thread, node)
                waits.append(node.event)
                before |= node.done
            else:
                self.wait_by_host(thread, node, chance, ways)
        return before | by_itself(), waits


def chance_of(*words):
    return random.Random(" ".join(map(str, words)))


def pick(seed, label, things):
    """One of them; the same one when others are taken away."""
    return min(things, key=lambda thing: chance_of(seed, label, thing.id).random(), default=None)
