/**
 * By how much a plan that no framework launches has to be better than the first that one does for it to be told: less is of rates that are
 * found to a part in ten thousand, and of nobody's use.
 */
export const worthTelling = 1e-3
