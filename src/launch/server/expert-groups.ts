/** The fault of a server whose experts are whole on groups of its chips: what is counted is experts on all of them, or sliced over all. */
export function expertsFault(option: string, groups: number, chips: number): string {
  return chips % groups === 0
    ? `${option} ${groups} of ${chips} chips slices each expert over ${chips / groups}, which is not counted`
    : `${option} ${groups} does not divide the ${chips} chips`
}
