import {
  createContext,
  createElement,
  type ForwardedRef,
  forwardRef,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from "react"
import type { AppearanceOptions, FieldState, Fields, RevealOptions, TextOptions } from "../fields/index.ts"
import { SealwayPage, type SealwayPageOptions } from "../fields/index.ts"

const SealwayContext = createContext<SealwayPage | null>(null)

export interface SealwayProviderProps extends SealwayPageOptions {
  readonly children?: ReactNode
}

/** Gives the components inside it a `SealwayPage`. */
export function SealwayProvider({ children, teamId, appId, baseUrl }: SealwayProviderProps): ReactElement {
  const [made, setMade] = useState(() => makePage({ teamId, appId, baseUrl }))
  const isSame = made.teamId === teamId && made.appId === appId && made.baseUrl === baseUrl
  const current = isSame ? made : makePage({ teamId, appId, baseUrl })
  if (!isSame) setMade(current)
  return createElement(SealwayContext.Provider, { value: current.page }, children)
}

const makePage = (options: SealwayPageOptions) => ({ ...options, page: new SealwayPage(options) })

/** Returns the page of the nearest `SealwayProvider`. @throws Error if there is none */
export function useSealway(): SealwayPage {
  const page = useContext(SealwayContext)
  if (page === null) throw new Error("useSealway needs a SealwayProvider around it.")
  return page
}

export interface CardFieldsProps extends TextOptions {
  /** Default: `card`, all of a card in one frame. `role` and the lengths are read when the frame is created. */
  readonly kind?: "card" | "number" | "expiry" | "cvc" | "pin" | "text"
  readonly className?: string
  readonly onReady?: () => void
  /** The frame could not be loaded. */
  readonly onError?: (error: unknown) => void
  readonly onChange?: (state: FieldState) => void
  readonly onFocus?: () => void
  readonly onBlur?: () => void
  readonly onEnter?: () => void
}

/**
 * Fields in a frame of Sealway. Its ref is what submits them:
 *
 * ```tsx
 * const card = useRef<Fields>(null)
 * <CardFields ref={card} role="pci" onChange={({ isComplete }) => setReady(isComplete)} />
 * const tokens = await card.current?.submit()
 * ```
 */
export const CardFields = forwardRef(function CardFields(
  props: CardFieldsProps,
  ref: ForwardedRef<Fields>,
): ReactElement {
  const { kind = "card", className } = props
  const page = useSealway()
  const place = useRef<HTMLDivElement>(null)
  const latest = useLatest(props)
  const [fields, setFields] = useState<Fields | null>(null)
  useEffect(() => {
    if (place.current === null) return
    const created = page.fields[kind](place.current, latest.current)
    let isRemoved = false
    created.on("change", (state) => latest.current.onChange?.(state))
    created.on("focus", () => latest.current.onFocus?.())
    created.on("blur", () => latest.current.onBlur?.())
    created.on("enter", () => latest.current.onEnter?.())
    created.ready.then(
      () => isRemoved || latest.current.onReady?.(),
      (error) => isRemoved || latest.current.onError?.(error),
    )
    setFields(created)
    return () => {
      isRemoved = true
      created.remove()
    }
  }, [page, kind, latest])
  useImperativeHandle(ref, () => fields as Fields, [fields])
  useAppearance(fields, props)
  return createElement("div", { ref: place, className })
})

export interface RevealProps extends RevealOptions {
  readonly className?: string
  readonly onShown?: () => void
  readonly onHidden?: () => void
  readonly onError?: (error: unknown) => void
}

/** A decrypted value in a frame of Sealway, from when it is rendered. */
export function Reveal(props: RevealProps): ReactElement {
  const page = useSealway()
  const place = useRef<HTMLDivElement>(null)
  const latest = useLatest(props)
  const [reveal, setReveal] = useState<ReturnType<SealwayPage["reveal"]> | null>(null)
  const { from, field, className } = props
  // Another address or field is another value.
  useEffect(() => {
    if (place.current === null) return
    const created = page.reveal(place.current, latest.current)
    let isRemoved = false
    created.shown.then(
      () => isRemoved || latest.current.onShown?.(),
      (error) => isRemoved || latest.current.onError?.(error),
    )
    created.hidden.then(
      () => isRemoved || latest.current.onHidden?.(),
      () => {},
    )
    setReveal(created)
    return () => {
      isRemoved = true
      created.remove()
    }
  }, [page, latest, from, field])
  useAppearance(reveal, props)
  return createElement("div", { ref: place, className })
}

/** The props of the last rendering, for what is called later. */
function useLatest<Props>(props: Props): RefObject<Props> {
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })
  return latest
}

/** Tells frames when their look has changed, and not for every rendering. */
function useAppearance(
  frames: { update(appearance: AppearanceOptions): void } | null,
  { theme, scheme, locale, texts, showLabels, disabled }: AppearanceOptions,
): void {
  const look = JSON.stringify({ theme, scheme, locale, texts, showLabels, disabled })
  const told = useRef<[typeof frames, string]>([null, look])
  useEffect(() => {
    const isNew = told.current[0] !== frames
    if (frames !== null && !isNew && told.current[1] !== look) frames.update(JSON.parse(look))
    told.current = [frames, look]
  }, [frames, look])
}
