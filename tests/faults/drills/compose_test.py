#!/usr/bin/env python3
"""The services of share/cluster/compose.yaml, without containers: each has the command, the user,
the variables and the volumes of the file, and a machine and a root folder of its own. The programs
are those of this machine.

    compose_test.py NEXUSFIX

Status 77: this machine cannot do it; the reason is printed.
"""

import os
import shutil
import sys
from pathlib import Path

import hosts
from history import Failure
from hosts import FOLDER, Host, Program, find_program, system, wait_until
from servers import ROOT, USER, Trader

SHARE = ROOT / "share" / "cluster"
PROGRAMS = ["chroot", "etcd", "haproxy", "initdb", "openssl", "pg_basebackup", "postgres"]
PGDATA = "/var/lib/postgresql/data"
SKIPPED = 77


class Service(Program):
    """A container: its root is that of this machine, with changes of its own."""
    openings_before = 0  # of an engine that was killed

    def __init__(self, name, number, facts, nexusfix):
        self.facts = facts
        self.root = FOLDER / "roots" / name / "root"
        for one in ("up", "work", "root"):
            (self.root.parent / one).mkdir(parents=True)
        upper, work = self.root.parent / "up", self.root.parent / "work"
        system("mount", "-t", "overlay", "-o", f"lowerdir=/,upperdir={upper},workdir={work}",
               "overlay", self.root)
        for one in ("proc", "dev"):
            system("mount", "--rbind", f"/{one}", self.root / one)
        (self.root / "run" / "postgresql").mkdir(parents=True, exist_ok=True)
        (self.root / "run" / "postgresql").chmod(0o1777)
        self.bind(nexusfix, "/usr/local/bin/nexusfix")
        for volume in facts.get("volumes", []):
            source, target = volume.split(":")[:2]
            if source.startswith("."):
                self.bind(SHARE / source if source != "./compose/certificates"
                          else FOLDER / "certificates", target)
            else:
                (self.root / target[1:]).mkdir(parents=True, exist_ok=True)
        super().__init__(name, Host(name, number, FOLDER), [],
                         environment={key: str(value) for key, value
                                      in facts.get("environment", {}).items()})
        words = {"nexusfix-cluster": ["/usr/local/bin/nexusfix"], "etcd": ["etcd"],
                 "postgres": ["postgres"],
                 "haproxy": ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]}
        image = facts["image"].rpartition("/")[2].partition(":")[0]
        entry = [] if "entrypoint" in facts else words[image]
        self.is_database = image == "postgres"
        self.command = self.in_root(*facts.get("entrypoint", []), *entry, *facts.get("command", []))
        if self.is_database:
            folder = Path(find_program("postgres")).parent
            self.environment |= {"PGDATA": PGDATA, "PATH": f"{folder}:{os.environ['PATH']}"}
            shutil.chown(self.root / PGDATA[1:], USER, USER)

    def bind(self, source, target):
        at = self.root / target[1:]
        if Path(source).is_dir():
            at.mkdir(parents=True, exist_ok=True)
        else:
            at.parent.mkdir(parents=True, exist_ok=True)
            at.touch()
        system("mount", "--bind", source, at)

    def in_root(self, *words):
        user = [f"--userspec={USER}:{USER}"] if self.is_database else []
        program = words[0] if str(words[0]).startswith("/") else find_program(str(words[0]))
        return ["chroot", *user, self.root, program, *words[1:]]

    def run(self, *words):
        """Runs a program once, as in the container."""
        one = Program(f"{self.name}-once", self.host, self.in_root(*words),
                      environment=self.environment)
        one.start()
        if one.process.wait() != 0:
            raise Failure(f"{self.name}: {words} failed: {one.tail()}")

    def make_database(self):
        """What the image does at its first start."""
        (self.root / "password").write_text(self.environment["POSTGRES_PASSWORD"])
        self.run("initdb", "--no-sync", "-U", self.environment["POSTGRES_USER"],
                 "--pwfile=/password", "--auth-host=scram-sha-256", "--auth-local=trust", "-D",
                 PGDATA)
        with (self.root / PGDATA[1:] / "postgresql.conf").open("a") as file:
            file.write("listen_addresses = '*'\nunix_socket_directories = '/run/postgresql'\n")
        self.run("pg_ctl", "-w", "-D", PGDATA, "-l", "/tmp/log", "-o", "-c listen_addresses=''",
                 "start")
        self.environment["PGHOST"] = "/run/postgresql"
        for script in sorted((self.root / "docker-entrypoint-initdb.d").glob("*.sh")):
            self.run("sh", "/" + str(script.relative_to(self.root)))
        self.run("pg_ctl", "-w", "-m", "fast", "-D", PGDATA, "stop")

    def openings(self):
        return self.out.read_text().count("listening on port")

    def is_owner(self):
        return self.runs() and self.openings() > self.openings_before

    def is_healthy(self):
        words = self.facts["healthcheck"]["test"][1:]
        one = Program(f"{self.name}-health", self.host, self.in_root(*words),
                      environment=self.environment)
        one.start()
        return one.process.wait() == 0


def start_all(services):
    """In the order of depends_on."""
    started = set()
    while len(started) < len(services):
        for name, one in services.items():
            needs = one.facts.get("depends_on", {})
            if name in started or not set(needs) <= started:
                continue
            if one.is_database and "entrypoint" not in one.facts:
                one.make_database()
            one.start()
            started.add(name)
            if "healthcheck" in one.facts:
                wait_until(one.is_healthy, f"{name} is healthy", pause=0.2)
            if one.facts.get("restart") == "on-failure":
                wait_until(lambda one=one: ends_well(one), f"{name} ends with status 0")


def ends_well(one):
    if one.runs():
        return False
    if one.process.returncode != 0:
        one.start()
    return one.process.returncode == 0


def run(nexusfix):
    import yaml
    compose = yaml.safe_load((SHARE / "compose.yaml").read_text())["services"]
    system("sh", SHARE / "certificates.sh", FOLDER / "certificates", "etcd1", "etcd2", "etcd3")
    services = {name: Service(name, number, facts, nexusfix)
                for number, (name, facts) in enumerate(compose.items(), 11)}
    client = Host("client", 10, FOLDER, disk="1g")
    names = "".join(f"{one.host.address} {name}\n" for name, one in services.items())
    for one in services.values():
        one.bind("/dev/null", "/etc/resolv.conf")
        (one.root / "etc" / "hosts").write_text(f"127.0.0.1 localhost\n{names}")
    try:
        start_all(services)
        nodes = [services["node-a"], services["node-b"]]

        def tick():
            for one in nodes:
                one.keep_up()

        def owner():
            return next((one for one in nodes if one.is_owner()), None)
        wait_until(owner, "a node owns the shard", tick)
        trader = Trader(nexusfix, client, services["haproxy"].host, "TRADER", 4)
        trader.start()
        services["trader"] = trader
        wait_until(lambda: trader.counts()[2] > 20, "orders are filled", tick)
        former = owner()
        former.kill()
        former.openings_before = former.openings()
        former.start()
        sent = trader.counts()[0]
        took = wait_until(lambda: trader.counts()[2] > sent + 20, "orders are filled again", tick)
        for one in nodes:
            if one.printed("NXF-7008"):
                raise Failure(f"nexusfix ctl cannot reach {one.name}: {one.tail()}")
        print(f"orders are filled {took:.1f} s after kill -9 of {former.name}")
        trader.end(expected=(1,))
    except Failure:
        print("\n".join(one.tail() for one in services.values() if one.process))
        raise


def main():
    nexusfix = os.path.abspath(sys.argv[1])
    try:
        import yaml  # noqa: F401  pylint: disable=unused-import
    except ImportError:
        print("skipped: no python3-yaml is installed")
        sys.exit(SKIPPED)
    reason = hosts.enter_namespaces(PROGRAMS)
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    try:
        run(nexusfix)
    except Failure as failure:
        sys.exit(f"compose_test: {failure}")


if __name__ == "__main__":
    main()
