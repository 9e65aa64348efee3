"""Brokers of Kafka on loopback: librdkafka's mock, and a real one in KRaft mode."""

import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from tcp_ports import free_port  # noqa: E402  pylint: disable=wrong-import-position

LIMIT_SECONDS = 120
SETTINGS = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://{host}:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://{host}:{port}
controller.listener.names=CONTROLLER
log.dirs={folder}/data
offsets.topic.replication.factor=1
num.partitions=3
auto.create.topics.enable=true
"""


class MockBrokers:
    """They keep everything in memory, as long as they live. on: the command that runs them on a
    machine of a drill."""

    def __init__(self, program, on=()):
        self.process = subprocess.Popen([*on, program], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True)
        self.address = self.process.stdout.readline().strip()

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def signal(self, number):
        self.process.send_signal(number)

    def restart(self):
        """As a broker that is killed and comes back: connections end."""
        self.tell("down")
        time.sleep(0.5)
        self.tell("up")

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def kafka_jars(build):
    """The folder of the broker's jars, from Maven; a second call needs no network."""
    jars = build / "kafka" / "lib"
    pom = Path(__file__).parent / "kafka" / "pom.xml"
    stamp = build / "kafka" / "pom.xml"
    if stamp.exists() and stamp.read_bytes() == pom.read_bytes():
        return jars
    command = ["mvn", "-q", "-B", "-f", pom, f"-Dnexusfix.output={build / 'kafka'}", "package"]
    if subprocess.run([command[0], "-o", *command[1:]], capture_output=True,
                      check=False).returncode != 0:
        subprocess.run(command, check=True)
    stamp.write_bytes(pom.read_bytes())
    return jars


class KafkaBroker:
    """A real broker, with its data in a folder. host and on: its address, and the command that runs
    it, on a machine of a drill."""

    def __init__(self, jars, folder, host="127.0.0.1", on=()):
        self.folder = folder
        self.classpath = f"{jars}/*"
        self.host, self.on = host, on
        port, controller = free_port(), free_port()
        self.address = f"{host}:{port}"
        folder.mkdir(parents=True)
        self.settings = folder / "server.properties"
        self.settings.write_text(SETTINGS.format(host=host, port=port, controller=controller,
                                                 folder=folder))
        subprocess.run(["java", "-cp", self.classpath, "kafka.tools.StorageTool", "format",
                        "-t", "MkU3OEVBNTcwNTJENDM2Qg", "-c", self.settings],
                       check=True, capture_output=True)
        self.process = None
        self.start()

    def start(self):
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen(
                [*self.on, "java", "-Xmx512m", "-cp", self.classpath, "kafka.Kafka", self.settings],
                stdout=log, stderr=log)
        deadline = time.monotonic() + LIMIT_SECONDS
        port = int(self.address.rsplit(":", 1)[1])
        while time.monotonic() < deadline:
            try:
                socket.create_connection((self.host, port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError((self.folder / "log").read_text()[-2000:])

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.kill()
        time.sleep(0.5)
        self.start()

    def end(self):
        self.kill()
