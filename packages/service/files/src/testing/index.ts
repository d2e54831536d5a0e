export { uploadPartsOf } from "../parts/part-sizes.ts"
export { fileRecords, uploadRecords } from "../records/file-table.ts"
