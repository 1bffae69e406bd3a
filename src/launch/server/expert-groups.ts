/**
 * Experts that are whole on groups of a server's chips, of so many there are: what is counted is experts on all of them, or sliced over all. What does
 * not divide the chips does not start.
 */
export function expertGroups(
  option: string,
  groups: number,
  chips: number,
): { readonly uncounted?: string; readonly fault?: string } {
  if (groups <= 1 || groups === chips) return {}
  if (chips % groups !== 0) return { fault: `${option} ${groups} does not divide the ${chips} chips` }
  const uncounted = `${option} ${groups} of ${chips} chips slices each expert over ${chips / groups}, which is not counted`
  return { uncounted }
}
