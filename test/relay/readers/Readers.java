import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.xml.XmlMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * What Jackson's XmlMapper gives an application. Reads lines of JSON, ["xml", body in base64, path], and answers one line for
 * each, what was read as a text. A path is a list of names and positions; an attribute has "@" in front.
 */
public class Readers {
  public static void main(String[] arguments) throws Exception {
    var json = new ObjectMapper();
    var xml = new XmlMapper();
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      var task = json.readTree(line);
      System.out.println(json.writeValueAsString(read(xml, task)));
    }
  }

  private static String read(XmlMapper xml, JsonNode task) {
    try {
      var path = task.get(2);
      // The root element is the value itself.
      var value = xml.readTree(Base64.getDecoder().decode(task.get(1).asText()));
      for (int at = 1; at < path.size() && value != null; at++) value = step(value, path.get(at));
      return value == null ? "" : value.toString();
    } catch (Exception refused) {
      return "refused";
    }
  }

  private static JsonNode step(JsonNode value, JsonNode step) {
    if (step.isNumber()) {
      int index = step.asInt() < 0 ? step.asInt() + Math.max(value.size(), 1) : step.asInt();
      return value.isArray() ? value.get(index) : index == 0 ? value : null;
    }
    return value.get(step.asText().replaceFirst("^@", ""));
  }
}
