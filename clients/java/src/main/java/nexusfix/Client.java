package nexusfix;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A program that is attached to {@code nexusfix gateway}, and attaches again after a lost
 * connection. Any thread may use it. It has a daemon thread of its own.
 */
public final class Client implements AutoCloseable {
  private final Options options;
  private final Attachment state;
  private final EventQueue events;
  private final Thread thread = new Thread(this::run, "nexusfix-client");
  private final CountDownLatch closing = new CountDownLatch(1);
  // Held from the choice of a number to the write of its frame.
  private final ReentrantLock writing = new ReentrantLock();
  private Link reader;

  private Client(Options options) {
    this.options = options;
    this.state = new Attachment(options);
    this.events = new EventQueue(options.queueMax());
    thread.setDaemon(true);
  }

  /**
   * Connects and waits for the Welcome.
   *
   * @throws ClosedException the gateway refuses the client
   * @throws IOException there is no gateway at the socket
   */
  public static Client attach(Options options) throws IOException {
    Client client = new Client(options);
    client.connect();
    client.thread.start();
    return client;
  }

  /** The sessions that the client may see, as they were when it attached. */
  public List<Session> sessions() {
    return state.sessions();
  }

  /** "trader" or "observer". */
  public String role() {
    return state.role();
  }

  /**
   * The highest number whose message was in the gateway's journal when the client attached. After a
   * crash, a program that keeps its messages with a number each sends those with a higher one
   * again.
   */
  public long lastAccepted() {
    return state.lastAccepted();
  }

  /**
   * Waits for the next event.
   *
   * @throws ClosedException the client has ended, and all events are read
   */
  public Event receive() throws InterruptedException, ClosedException {
    return events.take(Long.MAX_VALUE);
  }

  /** Waits at most so long for the next event. Null: none has come. */
  public Event receive(Duration limit) throws InterruptedException, ClosedException {
    return events.take(limit.toNanos());
  }

  /**
   * Sends a message. The answer comes on the client's thread: what depends on it must not block.
   * It fails with a {@link RefusedException} if nothing was sent, or with a {@link ClosedException}
   * if the client ends first: then the message may have been sent.
   *
   * @throws NotSentException there is no connection now; nothing was sent
   * @throws IllegalArgumentException the client does not see the session
   */
  public CompletableFuture<Accepted> send(String session, FixMessage message) {
    return send(0, session, message);
  }

  /**
   * Sends a message with a number of the program's own: higher than every one before, or one that
   * was accepted before the client attached, whose answer is a duplicate.
   */
  public CompletableFuture<Accepted> send(long number, String session, FixMessage message) {
    byte[] body = message.bytes();
    if (body.length > Frame.BYTES_MAX - Frame.HEADER_BYTES) {
      throw new IllegalArgumentException("a message of " + body.length + " bytes is too long");
    }
    writing.lock();
    try {
      Attachment.Pending pending = state.enlist(number, session, body);
      write(state.link(), List.of(state.frame(pending)));
      return pending.answer();
    } finally {
      writing.unlock();
    }
  }

  /** Ends the connection. The sessions go on. */
  @Override
  public void close() {
    closing.countDown();
    shut(state.detach());
    if (Thread.currentThread() == thread) {
      return;
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isClosing() {
    return closing.getCount() == 0;
  }

  private static void shut(Link link) {
    if (link != null) {
      link.close();
    }
  }

  // After an error the reader sees the lost connection, and the next Welcome decides.
  private static void write(Link link, List<Frame> frames) {
    try {
      for (Frame frame : frames) {
        if (link != null) {
          link.write(frame);
        }
      }
    } catch (IOException lost) {
      shut(link);
    }
  }

  private void connect() throws IOException {
    Frame hello = Frame.hello(Greeting.hello(
        options.name(), options.token(), state.cursors(), options.sharedMemory()));
    SocketLink socket = SocketLink.connect(options.socket());
    boolean attached = false;
    try {
      socket.write(hello);
      Frame answer = socket.next();
      if (answer.kind() == Frame.CLOSED) {
        throw new ClosedException(answer.code(), answer.text());
      } else if (answer.kind() != Frame.WELCOME) {
        throw Frame.badFrame("a frame of kind " + answer.kind() + " instead of the Welcome");
      }
      Greeting welcome = Greeting.welcome(answer);
      Link link = options.sharedMemory() ? memory(socket, welcome) : socket;
      reader = link;
      attached = true;
      adopt(link, welcome);
    } finally {
      if (!attached) {
        socket.close();
      }
    }
  }

  private static Link memory(SocketLink socket, Greeting welcome) throws IOException {
    if (welcome.ring().isEmpty()) {
      throw new ClosedException(
          ClosedException.Code.NO_SHARED_MEMORY, "the gateway has no shared memory");
    }
    return RingLink.open(socket, Path.of(welcome.ring()), welcome.ringKey());
  }

  private void adopt(Link link, Greeting welcome) {
    List<Runnable> answers = new ArrayList<>();
    writing.lock();
    try {
      write(link, state.adopt(link, welcome, answers));
    } finally {
      writing.unlock();
    }
    if (isClosing()) {
      shut(state.detach());
    }
    answers.forEach(Runnable::run);
  }

  private void run() {
    ClosedException end = null;
    while (end == null) {
      Exception lost = read();
      shut(state.detach());
      end = endOf(lost);
      if (end == null) {
        end = put(new Event.Detached(lost));
      }
      if (end == null) {
        end = reattach();
      }
    }
    shut(state.detach());
    for (Attachment.Pending message : state.end(end)) {
      message.answer().completeExceptionally(end);
    }
    events.end(end);
  }

  private ClosedException endOf(Exception error) {
    if (isClosing()) {
      return new ClosedException(ClosedException.Code.CLIENT_ENDS, "the client has ended");
    }
    return error instanceof ClosedException closed && (closed.isFinal() || closed == queueFull)
        ? closed
        : null;
  }

  private final ClosedException queueFull = new ClosedException(
      ClosedException.Code.TOO_SLOW, "the program receives events too slowly: queueMax wait");

  private ClosedException put(Event event) {
    return events.put(event) ? null : queueFull;
  }

  // Null: attached.
  private ClosedException reattach() {
    Duration delay = options.retryMin();
    while (true) {
      try {
        if (!closing.await(delay.toMillis(), TimeUnit.MILLISECONDS)) {
          connect();
          return put(new Event.Reattached(state.sessions()));
        }
      } catch (IOException | InterruptedException lost) {
        ClosedException end = endOf(lost);
        if (end != null) {
          return end;
        }
      }
      if (isClosing()) {
        return endOf(null);
      }
      delay = delay.multipliedBy(2);
      if (delay.compareTo(options.retryMax()) > 0) {
        delay = options.retryMax();
      }
    }
  }

  // Handles the frames of one connection. Returns why there are no more.
  private Exception read() {
    List<Runnable> answers = new ArrayList<>();
    try {
      while (true) {
        Event event = state.handle(reader.next(), answers);
        answers.forEach(Runnable::run);
        answers.clear();
        if (event != null && !events.put(event)) {
          return queueFull;
        }
      }
    } catch (IOException lost) {
      return lost;
    }
  }
}
