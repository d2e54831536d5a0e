import type { Endpoint } from "@sealway/http"
import type { FormatDependencies } from "../dependencies.ts"
import { createFormat } from "./create-format.ts"
import { decryptFormat } from "./decrypt-format.ts"
import { encryptFormat } from "./encrypt-format.ts"
import { getFormat } from "./get-format.ts"
import { listFormats } from "./list-formats.ts"
import { rewrapFormat } from "./rewrap-format.ts"
import { rotateFormat } from "./rotate-format.ts"
import { updateFormat } from "./update-format.ts"

/** Every endpoint of formats. */
export const formatEndpoints: readonly Endpoint<FormatDependencies>[] = [
  createFormat,
  listFormats,
  getFormat,
  updateFormat,
  rotateFormat,
  encryptFormat,
  decryptFormat,
  rewrapFormat,
]
