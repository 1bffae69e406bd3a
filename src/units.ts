/**
 * Quantities in SI base units. The flavour keeps `Seconds` out of a parameter that wants `Bytes`; it is
 * optional, so literals and the results of arithmetic need no cast. What it cannot see is the result of a
 * product or a quotient, which is a bare number: the laws in test/ guard the algebra itself.
 */
declare const unit: unique symbol
type Quantity<U extends string> = number & { readonly [unit]?: U }

export type Seconds = Quantity<'s'>
export type Bytes = Quantity<'B'>
export type Flops = Quantity<'FLOP'>
export type BytesPerSecond = Quantity<'B/s'>
export type FlopsPerSecond = Quantity<'FLOP/s'>
