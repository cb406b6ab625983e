package lagwatch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/** Requests that change permissions and passwords. */
final class Security {
  private static final int ITERATIONS = 4096; // the fewest that Kafka takes

  private final Connection connection;

  Security(Connection connection) {
    this.connection = connection;
  }

  void register(Map<String, Driver.Op> ops) {
    ops.put("createAcls", this::create);
    ops.put("deleteAcls", this::delete);
    ops.put("setPassword", this::setPassword);
  }

  private Object create(JsonNode args) throws Exception {
    connection.admin.createAcls(bindings(args.get("acls"))).all().get();
    return null;
  }

  private Object delete(JsonNode args) throws Exception {
    List<AclBindingFilter> filters = new ArrayList<>();
    bindings(args.get("acls")).forEach(acl -> filters.add(acl.toFilter()));
    connection.admin.deleteAcls(filters).all().get();
    return null;
  }

  private static List<AclBinding> bindings(JsonNode list) {
    List<AclBinding> bindings = new ArrayList<>();
    for (JsonNode acl : list) {
      ResourceType type = ResourceType.valueOf(acl.get("resource").asText());
      PatternType pattern =
          acl.get("prefixed").asBoolean() ? PatternType.PREFIXED : PatternType.LITERAL;
      AclPermissionType permission =
          acl.get("deny").asBoolean() ? AclPermissionType.DENY : AclPermissionType.ALLOW;
      AclOperation operation = AclOperation.valueOf(acl.get("operation").asText());
      bindings.add(
          new AclBinding(
              new ResourcePattern(type, acl.get("name").asText(), pattern),
              new AccessControlEntry(acl.get("principal").asText(), "*", operation, permission)));
    }
    return bindings;
  }

  private Object setPassword(JsonNode args) throws Exception {
    // One request may change a user once.
    for (ScramMechanism mechanism :
        List.of(ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512)) {
      UserScramCredentialAlteration change =
          new UserScramCredentialUpsertion(
              args.get("user").asText(),
              new ScramCredentialInfo(mechanism, ITERATIONS),
              args.get("password").asText());
      connection.admin.alterUserScramCredentials(List.of(change)).all().get();
    }
    return null;
  }
}
