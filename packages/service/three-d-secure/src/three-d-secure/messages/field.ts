import type * as z from "zod"

/** A circumstance holds when every element that it names has one of these values, or is present. */
export type Circumstance = Readonly<Record<string, readonly (string | boolean)[] | "present">>

/** One element of a message: its format, and when it is present. */
export interface Field<Format extends z.ZodType = z.ZodType, IsAlways extends boolean = boolean> {
  readonly format: Format
  readonly isAlways: IsAlways
  /** It is required when one of these holds. */
  readonly requiredWhen: readonly Circumstance[]
  /** It is only allowed when one of these holds. Null: it always is. */
  readonly allowedWhen: readonly Circumstance[] | null
}

/** The elements of a message in one version, by EMVCo's names. */
export type Fields = Readonly<Record<string, Field>>

/** The type of a parsed message with these elements. */
export type MessageOf<Table extends Fields> = {
  readonly [Name in keyof Table as Table[Name] extends Field<z.ZodType, true> ? Name : never]: z.output<
    Table[Name]["format"]
  >
} & {
  readonly [Name in keyof Table as Table[Name] extends Field<z.ZodType, true> ? never : Name]?: z.output<
    Table[Name]["format"]
  >
}

/** Required in every message. */
export function always<Format extends z.ZodType>(format: Format): Field<Format, true> {
  return { format, isAlways: true, requiredWhen: [{}], allowedWhen: null }
}

/** Optional, or subject to a scheme's rules. @param allowedWhen default: always */
export function optional<Format extends z.ZodType>(
  format: Format,
  ...allowedWhen: readonly Circumstance[]
): Field<Format, false> {
  const limits = allowedWhen.length === 0 ? null : allowedWhen
  return { format, isAlways: false, requiredWhen: [], allowedWhen: limits }
}

/** Required when one of these holds, optional otherwise. */
export function requiredWhen<Format extends z.ZodType>(
  format: Format,
  ...circumstances: readonly Circumstance[]
): Field<Format, false> {
  return { format, isAlways: false, requiredWhen: circumstances, allowedWhen: null }
}

/** Required when one of these holds, and refused otherwise. @param alsoAllowed when it is optional instead */
export function onlyWhen<Format extends z.ZodType>(
  format: Format,
  circumstances: readonly Circumstance[],
  alsoAllowed: readonly Circumstance[] = [],
): Field<Format, false> {
  return {
    format,
    isAlways: false,
    requiredWhen: circumstances,
    allowedWhen: [...circumstances, ...alsoAllowed],
  }
}
