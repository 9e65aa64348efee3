"""What strikes a cluster in a drill. Each function strikes, heals what it broke, and returns the
seconds until the next owner had opened its ports; nothing, if no take-over is expected."""

import itertools
import signal
import time

from history import Failure
from hosts import cut, join
from servers import ANSWER_SECONDS, LEASE_SECONDS, OUTAGE_SECONDS

KINDS = {}  # by name, in order
# Until the next owner's ports are open, as docs/operations/cluster.md states it.
AFTER_LEASE = LEASE_SECONDS + 1
AT_ONCE = 1
# The venue takes orders once a second: those that it holds come before the counterparty's Logout,
# and a lost database is noticed with the next ones.
AFTER_THROTTLE = AT_ONCE + 1
NO_SPACE = "No space left on device"
AFTER_OUTAGE = ANSWER_SECONDS + OUTAGE_SECONDS + AFTER_THROTTLE


class Kind:
    def __init__(self, strike, stated, is_quick, needs):
        self.name = strike.__name__.replace("_", " ")
        self.strike, self.stated, self.is_quick, self.needs = strike, stated, is_quick, needs


def kind(stated=None, quick=False, needs=None):
    """stated: seconds until a take-over. needs: an attribute of the cluster's options."""
    def note(strike):
        made = Kind(strike, stated, quick, needs)
        KINDS[made.name] = made
        return strike
    return note


def for_a_while(cluster, chance, strike, heal, most=4):
    strike()
    cluster.pause(chance.uniform(0, most))
    heal()


# The owner of the shard.

def take_over(cluster, act):
    """Seconds from act() until the other engine has opened its ports."""
    owner, other = cluster.owner()
    openings = other.openings()
    began = time.monotonic()
    act(owner, other)
    cluster.wait(lambda: other.openings() > openings, f"{other.name} takes over")
    return time.monotonic() - began, owner


def ends_as_former_owner(cluster, owner, ends):
    """The database has refused it: it ends with status 1, and is started again."""
    cluster.wait(lambda: len(owner.ends) > ends, f"{owner.name} ends")
    if owner.ends[-1] != 1:
        raise Failure(f"{owner.name}, a former owner, ended with status {owner.ends[-1]}")


@kind(AFTER_LEASE, quick=True)
def owner_killed(cluster, _):
    took, owner = take_over(cluster, lambda owner, _: owner.kill())
    owner.start()
    return took


@kind(AFTER_LEASE, quick=True)
def owner_and_primary_killed_while_commits_wait(cluster, chance):
    """What the standby of the database does not have must not have left."""
    primary = cluster.primary()
    cut(primary.host, primary.peer.host)
    cluster.pause(chance.uniform(1.2, 2))  # the venue takes orders once a second, at least

    def act(owner, _):
        owner.kill()
        primary.kill()
        join(primary.host, primary.peer.host)
        primary.peer.promote()
        primary.copy_peer()
    took, owner = take_over(cluster, act)
    owner.start()
    return took


@kind(AFTER_LEASE, quick=True)
def owner_frozen(cluster, chance):
    took, owner = take_over(cluster, lambda owner, _: owner.freeze())
    cluster.pause(chance.uniform(0, 1))
    ends = len(owner.ends)
    owner.thaw()
    ends_as_former_owner(cluster, owner, ends)
    return took


@kind(AFTER_LEASE, quick=True)
def owner_cut_off(cluster, chance):
    took, owner = take_over(cluster, lambda owner, _: owner.host.pull_cable())
    cluster.pause(chance.uniform(0, 1))
    ends = len(owner.ends)
    owner.host.plug_cable()
    ends_as_former_owner(cluster, owner, ends)
    return took


@kind(AFTER_LEASE)
def owner_loses_etcd(cluster, _):
    def act(owner, _):
        for member in cluster.members:
            cut(owner.host, member.host)
    ends = [len(one.ends) for one in cluster.nodes]
    took, owner = take_over(cluster, act)
    ends_as_former_owner(cluster, owner, ends[cluster.nodes.index(owner)])
    for member in cluster.members:
        join(owner.host, member.host)
    return took


@kind(AFTER_OUTAGE)
def owner_loses_the_database(cluster, _):
    def act(owner, _):
        for database in cluster.databases:
            cut(owner.host, database.host)
    took, owner = take_over(cluster, act)
    for database in cluster.databases:
        join(owner.host, database.host)
    return took


@kind(AFTER_THROTTLE)
def owner_stopped(cluster, _):
    took, owner = take_over(cluster, lambda owner, _: owner.end())
    owner.start()
    return took


@kind(AFTER_THROTTLE)
def shard_moved(cluster, _):
    took, _ = take_over(cluster, lambda owner, other: cluster.order(owner, "move", "s1",
                                                                    other.name))
    return took


def fill_disk_until(cluster, program, text):
    """Until the program says so."""
    before = program.printed(text)
    program.host.fill_disk()
    cluster.wait(lambda: program.printed(text) > before, f"{program.name} says: {text}", 0.1)


@kind()
def owner_has_a_full_disk(cluster, _):
    owner, _ = cluster.owner()
    fill_disk_until(cluster, owner, "NXF-8006")  # the logs have no room
    cluster.orders_flow()
    owner.host.empty_disk()


@kind(AFTER_LEASE)
def owner_killed_and_the_next_one_has_a_full_disk(cluster, _):
    def act(owner, other):
        other.host.fill_disk()
        owner.kill()
    took, owner = take_over(cluster, act)
    cluster.orders_flow()
    for one in cluster.nodes:
        if one is not owner:
            one.host.empty_disk()
    owner.start()
    return took


@kind(quick=True, needs="clocks")
def clocks_step(cluster, chance):
    """Within the two minutes by which SendingTime may differ."""
    before = [node.printed("NXF-5087") for node in cluster.nodes]
    for node in cluster.nodes:
        node.step_clock(chance.choice((-90, 90)))
    for node, count in zip(cluster.nodes, before):  # libfaketime looks once a second
        cluster.wait(lambda node=node, count=count: node.printed("NXF-5087") > count,
                     f"{node.name} reports that its clock is not that of etcd", 0.1)
    cluster.orders_flow()
    for node in cluster.nodes:
        node.step_clock(0)
    cluster.pause(1)


@kind()
def waiting_engine_killed(cluster, _):
    _, other = cluster.owner()
    other.kill()
    cluster.orders_flow()
    other.start()


# The database.

def promote(cluster, strike, heal):
    """The standby is promoted, as Patroni would do it; the former primary becomes its standby."""
    former = cluster.primary()
    strike(former)
    former.peer.promote()
    heal(former)
    if former.runs():  # a primary that no one may use
        cluster.pause(1)
        former.kill()
    former.copy_peer()


@kind(quick=True)
def primary_killed(cluster, _):
    promote(cluster, lambda former: former.kill(), lambda _: None)


@kind()
def primary_frozen(cluster, _):
    promote(cluster, lambda former: former.freeze(), lambda former: former.thaw())


@kind()
def primary_cut_off(cluster, _):
    promote(cluster, lambda former: former.host.pull_cable(),
            lambda former: former.host.plug_cable())


@kind()
def primary_killed_and_started_again(cluster, chance):
    primary = cluster.primary()
    for_a_while(cluster, chance, primary.kill, primary.start, 2)


@kind(quick=True)
def primary_has_a_full_disk(cluster, chance):
    primary = cluster.primary()
    fill_disk_until(cluster, primary, NO_SPACE)
    cluster.pause(chance.uniform(0, 2))
    primary.host.empty_disk()


@kind()
def standby_killed(cluster, chance):
    standby = cluster.primary().peer
    for_a_while(cluster, chance, standby.kill, standby.start)


@kind()
def standby_frozen(cluster, chance):
    standby = cluster.primary().peer
    for_a_while(cluster, chance, standby.freeze, standby.thaw)


@kind()
def standby_cut_from_the_primary(cluster, chance):
    primary = cluster.primary()
    hosts = primary.host, primary.peer.host
    for_a_while(cluster, chance, lambda: cut(*hosts), lambda: join(*hosts))


@kind()
def standby_has_a_full_disk(cluster, chance):
    standby = cluster.primary().peer
    fill_disk_until(cluster, standby, NO_SPACE)
    cluster.pause(chance.uniform(0, 2))
    standby.host.empty_disk()


# etcd. The owner goes on.

@kind(quick=True)
def leader_of_etcd_killed(cluster, _):
    leader, _ = cluster.leader()
    leader.kill()
    cluster.orders_flow()
    leader.start()


@kind()
def leader_of_etcd_frozen(cluster, chance):
    leader, _ = cluster.leader()
    for_a_while(cluster, chance, leader.freeze, leader.thaw)


@kind()
def leader_of_etcd_cut_off(cluster, chance):
    leader, _ = cluster.leader()
    for_a_while(cluster, chance, leader.host.pull_cable, leader.host.plug_cable)


@kind()
def leader_of_etcd_has_a_full_disk(cluster, _):
    leader, others = cluster.leader()
    ends = len(leader.ends)
    leader.host.fill_disk()
    numbers = itertools.count()

    def ends_as_its_file_must_grow():
        try:
            others[0].put(f"/ballast/{next(numbers) % 20}", "x" * 100_000)
        except OSError:
            pass  # an election
        return len(leader.ends) > ends
    cluster.wait(ends_as_its_file_must_grow, f"{leader.name} ends")
    cluster.orders_flow()
    leader.host.empty_disk()


@kind()
def etcd_loses_its_majority(cluster, _):
    for member in cluster.members[:2]:
        member.kill()
    cluster.pause(LEASE_SECONDS + 1)
    cluster.orders_flow()  # without a lease, and no other engine may claim the log
    for member in cluster.members[:2]:
        member.start()


# The way of the client.

@kind()
def client_cut_off(cluster, chance):
    for_a_while(cluster, chance, cluster.client.pull_cable, cluster.client.plug_cable, 6)


@kind(quick=True)
def balancer_killed(cluster, _):
    cluster.balancer.kill()
    cluster.balancer.start()


@kind()
def front_door_killed(cluster, chance):
    door = chance.choice(cluster.doors)
    for_a_while(cluster, chance, door.kill, door.start, 2)


# The audit stream. Orders do not wait for it.

@kind(quick=True, needs="consumer")
def stream_killed(cluster, chance):
    for_a_while(cluster, chance, cluster.stream.kill, cluster.stream.start, 1)


@kind(quick=True, needs="consumer")
def broker_killed(cluster, _):
    cluster.brokers.restart()
    cluster.orders_flow()


@kind(needs="consumer")
def broker_frozen(cluster, chance):
    cluster.brokers.signal(signal.SIGSTOP)
    cluster.pause(chance.uniform(0.5, 3))
    cluster.orders_flow()
    cluster.brokers.signal(signal.SIGCONT)


@kind(needs="build")
def broker_cut_off(cluster, chance):
    cluster.hosts["kafka"].pull_cable()
    cluster.pause(chance.uniform(1, 5))
    cluster.orders_flow()
    cluster.hosts["kafka"].plug_cable()


@kind(needs="build")
def broker_has_a_full_disk(cluster, _):
    """Kafka ends when its disk does not take what it writes."""
    host = cluster.hosts["kafka"]
    host.fill_disk()
    cluster.wait(lambda: cluster.brokers.process.poll() is not None, "Kafka ends", 0.1)
    cluster.orders_flow()
    host.empty_disk()
    cluster.brokers.restart()
