import type { RequestListener } from "node:http"
import type { Sealway } from "@sealway/sdk"

export function createCustomerServer(sealway: Sealway, webhookSecret: string): RequestListener
