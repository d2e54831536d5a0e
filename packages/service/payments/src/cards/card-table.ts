import { createEnrolledTable } from "../enrolments/enrolled-table.ts"
import { cardDetailsSchema } from "./card.ts"

export const CARD_TABLE = createEnrolledTable("card", cardDetailsSchema)
