export { deleteDataSubject, restoreDataSubject } from "../management/manage-data-subjects.ts"
