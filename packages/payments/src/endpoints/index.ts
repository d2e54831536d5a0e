import type { Endpoint } from "@sealway/platform"
import type { PaymentDependencies } from "../dependencies.ts"

export const paymentEndpoints: readonly Endpoint<PaymentDependencies>[] = []
