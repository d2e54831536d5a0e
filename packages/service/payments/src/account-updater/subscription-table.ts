import { createEnrolledTable } from "../enrolments/enrolled-table.ts"
import { subscriptionDetailsSchema } from "./subscription.ts"

export const SUBSCRIPTION_TABLE = createEnrolledTable("card-subscription", subscriptionDetailsSchema)
