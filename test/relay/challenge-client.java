import java.net.Authenticator;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The JDK's client, which sends credentials to a proxy once it is asked for them. Arguments: port, user, key, CA file, URL. */
class Client {
  public static void main(String[] arguments) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null);
    try (var file = Files.newInputStream(Path.of(arguments[3]))) {
      store.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(file));
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(null, trust.getTrustManagers(), null);
    HttpClient client = HttpClient.newBuilder()
        .sslContext(tls)
        .proxy(ProxySelector.of(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0]))))
        .authenticator(new Authenticator() {
          @Override
          protected PasswordAuthentication getPasswordAuthentication() {
            return new PasswordAuthentication(arguments[1], arguments[2].toCharArray());
          }
        })
        .build();
    HttpRequest request = HttpRequest.newBuilder(URI.create(arguments[4]))
        .POST(HttpRequest.BodyPublishers.ofString("name=Ada"))
        .build();
    System.out.print(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
  }
}
