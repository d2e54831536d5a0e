import { createRunWorker } from "@sealway/functions"
import { strToU8, zipSync } from "fflate"
import type { ServiceProcess } from "./world.ts"

const CODE = zipSync({ "index.mjs": strToU8("export const handler = async () => null") })

/** A function, as it is deployed. */
export const FUNCTION = {
  name: "charge",
  language: "node@24",
  handler: "index.mjs",
  code: Buffer.from(CODE).toString("base64"),
}

/** Makes a process the worker of function runs and deployments. */
export const runWorker = (process: ServiceProcess) =>
  process.worker(createRunWorker(process.service.functions))
