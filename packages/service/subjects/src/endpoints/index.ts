import type { Endpoint } from "@sealway/http"
import type { SubjectDependencies } from "../dependencies.ts"
import { deleteDataSubjectEndpoint } from "./delete-data-subject.ts"
import { getDataSubject } from "./get-data-subject.ts"
import { getDataSubjectKey } from "./get-data-subject-key.ts"
import { listDataSubjects } from "./list-data-subjects.ts"
import { restoreDataSubjectEndpoint } from "./restore-data-subject.ts"

/** Every endpoint of data subjects. */
export const subjectEndpoints: readonly Endpoint<SubjectDependencies>[] = [
  listDataSubjects,
  getDataSubject,
  getDataSubjectKey,
  deleteDataSubjectEndpoint,
  restoreDataSubjectEndpoint,
]
