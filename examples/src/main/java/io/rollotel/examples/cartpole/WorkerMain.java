package io.rollotel.examples.cartpole;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.rmi.AlreadyBoundException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RMIServerSocketFactory;
import java.rmi.server.UnicastRemoteObject;
import java.util.concurrent.CountDownLatch;

/**
 * The worker's process: exports one {@link PolicyWorker} on loopback, prints its port to standard
 * output, and ends when it is closed or when the driver has ended.
 */
final class WorkerMain {
  /** The one line of standard output that the driver waits for; the port follows. */
  static final String READY = "worker ready at port ";

  static final String BINDING = "worker";

  private WorkerMain() {}

  public static void main(String[] args)
      throws IOException, AlreadyBoundException, InterruptedException {
    exitWithDriver();

    int rank = Integer.parseInt(System.getenv().getOrDefault("RANK", "0"));
    int threads = Integer.parseInt(System.getenv().getOrDefault("ROLLOUT_THREADS", "1"));
    Slowness slowness = Slowness.of(System.getenv().getOrDefault("SLOWNESS", Slowness.NONE));
    CountDownLatch closed = new CountDownLatch(1);
    PolicyWorker worker = new PolicyWorker(rank, threads, slowness, closed::countDown);

    LoopbackSockets sockets = new LoopbackSockets();
    Registry registry = LocateRegistry.createRegistry(0, null, sockets);
    registry.bind(BINDING, UnicastRemoteObject.exportObject(worker, 0, null, sockets));
    System.out.println(READY + sockets.firstPort);

    closed.await();
    // Refused as long as a call, close() among them, has not been answered.
    while (!UnicastRemoteObject.unexportObject(worker, false)) {
      Thread.sleep(5);
    }
    System.exit(0);
  }

  /** Standard input is a pipe from the driver: at its end the driver has died, however it died. */
  private static void exitWithDriver() {
    Thread watch =
        new Thread(
            () -> {
              try {
                while (System.in.read() >= 0) {
                  // The driver writes nothing.
                }
              } catch (IOException e) {
                // Treated like the end.
              }
              System.exit(1);
            },
            "exit-with-driver");
    watch.setDaemon(true);
    watch.start();
  }

  /** Server sockets that no other host reaches; remembers the port of the first, the registry's. */
  private static final class LoopbackSockets implements RMIServerSocketFactory {
    private int firstPort;

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
      ServerSocket socket = new ServerSocket(port, 0, InetAddress.getLoopbackAddress());
      if (firstPort == 0) {
        firstPort = socket.getLocalPort();
      }
      return socket;
    }
  }
}
