export { createPaymentDependencies, type PaymentDependencies, type PaymentServices } from "./dependencies.ts"
export { paymentEndpoints } from "./endpoints/index.ts"
