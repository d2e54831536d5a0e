export { defineSealwayElements, type SealwayFieldsElement } from "./custom-elements.ts"
export type {
  AppearanceOptions,
  CardBrandName,
  FieldEventName,
  FieldEvents,
  FieldOptions,
  FieldProblems,
  FieldState,
  SealedFields,
  SecretOptions,
  TextOptions,
  Texts,
  Theme,
} from "./field-options.ts"
export { type Fields, InvalidFieldsError } from "./field-set.ts"
export type { Reveal, RevealOptions, RevealToken } from "./reveal.ts"
export {
  type CardPlaces,
  type PageFields,
  type Place,
  SealwayPage,
  type SealwayPageOptions,
} from "./sealway-page.ts"
