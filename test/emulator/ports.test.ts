import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type AwsClients, EVENTS_TABLE, type Table } from "@sealway/ports"
import { createAwsClients } from "@sealway/ports/aws"
import { afterAll, beforeAll, describe } from "vitest"
import { findPythonTool, installationOf } from "../../scripts/python-tool.ts"
import { EMULATOR_CREDENTIALS, type Emulator, startEmulator } from "../../scripts/test-emulator/emulator.ts"
import { MINISTACK } from "../../scripts/test-emulator/ministack.ts"
import { PROJECT_ROOT } from "../../stacks/bundles/project-root.ts"
import { describeFunctionHost, startLambda } from "../contract/function-host.ts"
import { describeObjects, startS3 } from "../contract/objects.ts"
import { describeQueues, startSqs } from "../contract/queues.ts"
import { describeTable } from "../contract/table.ts"
import { createDynamoDbTables } from "../support/dynamodb-tables.ts"

const REGION = "us-east-1"
const CONNECTION = { region: REGION, credentials: EMULATOR_CREDENTIALS }
const START_MS = 90_000

const command = findPythonTool(MINISTACK, PROJECT_ROOT, process.env)
const missing = command === null ? `, which is not installed: ${installationOf(MINISTACK)}` : ""

/** Its KMS opens what was changed, so the contract of keys is not for it. */
describe.skipIf(command === null)(`with MiniStack${missing}`, () => {
  const clock = { ms: 1_000_000 }
  let folder: string
  let emulator: Emulator
  let clients: AwsClients
  let table: Table

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sealway-emulator-"))
    emulator = await startEmulator(command ?? "", folder)
    const { endpoint } = emulator
    await createDynamoDbTables({ ...CONNECTION, endpoint }, [EVENTS_TABLE])
    clients = createAwsClients({ region: REGION, endpoints: { dynamodb: endpoint } }, CONNECTION)
    table = clients.openTable(EVENTS_TABLE.name, () => clock.ms)
  }, START_MS)
  afterAll(async () => {
    clients?.destroy()
    await emulator?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  describeTable("a table in DynamoDB", () => table, clock)

  describeQueues("of SQS", () => startSqs({ ...CONNECTION, endpoint: emulator.endpoint }))

  describeObjects("in S3", () => startS3({ ...CONNECTION, endpoint: emulator.endpoint }))

  describeFunctionHost("in Lambda", () => startLambda({ ...CONNECTION, endpoint: emulator.endpoint }), true)
})
