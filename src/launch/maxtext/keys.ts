/** Keys of a MaxText configuration, and what they are set to. */
export type MaxtextConfig = Readonly<Record<string, Value>>

type Value = string | number | boolean | readonly string[]
