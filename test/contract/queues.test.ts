import { startEmbeddedCloud } from "@sealway/local"
import { DEFINITIONS, describeQueues, type QueuesUnderTest, startSqs } from "./queues.ts"

const { SEALWAY_CONTRACT_SQS_ENDPOINT: endpoint, AWS_REGION: region = "us-east-1" } = process.env

async function startLocal(): Promise<QueuesUnderTest> {
  const { queues, close } = await startEmbeddedCloud({ dataFolder: null, tables: [], queues: DEFINITIONS })
  return {
    queues,
    close,
    async receive(name, waitSeconds) {
      const queue = queues.queue(name)
      const [found] = await queue.receive(1, waitSeconds * 1_000, new AbortController().signal)
      if (found === undefined) return null
      return { body: found.message.body, settle: () => queue.delete(found.receiptHandle) }
    },
  }
}

describeQueues("of one machine", startLocal)

/** SQS only where `SEALWAY_CONTRACT_SQS_ENDPOINT` says where it is; `aws`: AWS itself. */
if (endpoint !== undefined)
  describeQueues("of SQS", () => startSqs({ region, ...(endpoint !== "aws" && { endpoint }) }))
