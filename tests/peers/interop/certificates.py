"""Certificates for a scenario over TLS: an authority and one for each engine, in its format."""

import os
import subprocess

PASSWORD = "interop"


def _run(*command):
    subprocess.run(command, check=True, timeout=600, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


class Certificates:
    """Made in the scenario's folder; each side must show its own."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.authority = self._path("authority.pem")
        self.trusted = self._path("trusted.p12")
        self._make_authority()

    def _path(self, name):
        return os.path.join(self.folder, name)

    def _make_authority(self):
        _run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "90", "-subj", "/CN=authority",
             "-keyout", self._path("authority.key"), "-out", self.authority)
        # Java needs an attribute in a trust store that this openssl cannot write.
        _run("keytool", "-importcert", "-noprompt", "-alias", "authority", "-file", self.authority,
             "-keystore", self.trusted, "-storetype", "PKCS12", "-storepass", PASSWORD)

    def _issue(self, name):
        key, certificate = self._path(name + ".key"), self._path(name + ".pem")
        if os.path.exists(certificate):
            return key, certificate
        request, extensions = self._path(name + ".csr"), self._path(name + ".ext")
        with open(extensions, "w", encoding="utf-8") as file:
            file.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n"
                       "extendedKeyUsage=serverAuth,clientAuth\n")
        _run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
             "-subj", "/CN=" + name, "-keyout", key, "-out", request)
        _run("openssl", "x509", "-req", "-in", request, "-CA", self.authority, "-CAkey",
             self._path("authority.key"), "-CAcreateserial", "-days", "90", "-extfile", extensions,
             "-out", certificate)
        os.chmod(key, 0o600)
        return key, certificate

    def ours(self, role):
        """Keys of NexusFIX."""
        key, certificate = self._issue("nexus")
        side = "Server" if role == "acceptor" else "Client"
        keys = {"RequireTLS": "Y", side + "CertificateFile": certificate,
                side + "CertificateKeyFile": key, "CertificationAuthoritiesFile": self.authority}
        if role == "acceptor":
            keys["NeedClientAuth"] = "Y"
        else:
            # In TLS 1.3 our Logon may arrive together with the end of the handshake, and QuickFIX/J
            # does not read it then until more bytes arrive.
            keys["EnabledProtocols"] = "TLSv1.2"
        return keys

    def quickfixj(self, role):
        """Keys of QuickFIX/J."""
        key, certificate = self._issue("peer")
        store = self._path("peer.p12")
        if not os.path.exists(store):
            _run("openssl", "pkcs12", "-export", "-name", "peer", "-inkey", key, "-in", certificate,
                 "-certfile", self.authority, "-passout", "pass:" + PASSWORD, "-out", store)
        keys = {"SocketUseSSL": "Y", "SocketKeyStore": store, "KeyStoreType": "PKCS12",
                "SocketKeyStorePassword": PASSWORD, "SocketTrustStore": self.trusted,
                "TrustStoreType": "PKCS12", "SocketTrustStorePassword": PASSWORD}
        if role == "acceptor":
            keys["NeedClientAuth"] = "Y"
        else:
            keys["EndpointIdentificationAlgorithm"] = "HTTPS"
        return keys
