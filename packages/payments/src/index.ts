export { createPaymentDependencies, type PaymentDependencies, type PaymentServices } from "./dependencies.ts"
export { paymentEndpoints } from "./endpoints/index.ts"
export { requeueEnrolments } from "./enrolments/requeue-enrolments.ts"
export { createEnrolmentWorker, type EnrolmentWorker } from "./workers/enrolment-worker.ts"
