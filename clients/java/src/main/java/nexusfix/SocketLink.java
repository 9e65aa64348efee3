package nexusfix;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Frames by the gateway's Unix socket. */
final class SocketLink implements Link {
  private final SocketChannel channel;
  private final Frame.Reader reader;

  private SocketLink(SocketChannel channel) {
    this.channel = channel;
    this.reader = new Frame.Reader(channel);
  }

  static SocketLink connect(Path socket) throws IOException {
    SocketLink link = new SocketLink(SocketChannel.open(StandardProtocolFamily.UNIX));
    try {
      link.channel.connect(UnixDomainSocketAddress.of(socket));
      return link;
    } catch (IOException error) {
      link.close();
      throw error;
    }
  }

  SocketChannel channel() {
    return channel;
  }

  @Override
  public Frame next() throws IOException {
    return reader.next();
  }

  @Override
  public void write(Frame frame) throws IOException {
    ByteBuffer bytes = frame.bytes();
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException ignored) {
      // It is closed for this program in any case.
    }
  }
}
