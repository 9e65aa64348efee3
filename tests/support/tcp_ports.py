"""TCP ports for servers that tests start, and that cannot be given port 0."""
import random
import socket

claims = []


def free_port(host="127.0.0.1"):
    """A port that has no listener, that the kernel gives to no connection, and that no other test
    gets as long as this process runs."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as limits:
        first_of_kernel = int(limits.read().split()[0])
    while True:
        port = random.randrange(10_000, max(first_of_kernel, 20_000))
        claim = socket.socket(socket.AF_UNIX)
        with socket.socket() as probe:
            try:
                claim.bind(f"\0nexusfix-test-port-{port}")
                probe.bind((host, port))
            except OSError:
                claim.close()
                continue
        claims.append(claim)
        return port
