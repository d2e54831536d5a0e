// One file, so that it is one process: stages are synthesized once for all of these, and the CDK's validation, which
// takes seconds to start, is started once.
import "./stacks/functions.ts"
import "./stacks/hosting.ts"
import "./stacks/keys-and-data.ts"
import "./stacks/api-and-alarms.ts"
import "./stacks/nag.ts"
import "./stacks/relay.ts"
import "./stacks/relay-alarms.ts"
import "./stacks/egress.ts"
import "./stacks/access-log.ts"
import "./stacks/service-access.ts"
import "./stacks/api-order.ts"
