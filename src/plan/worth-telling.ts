/**
 * Least relative advantage with which a plan that no framework launches is mentioned. Less is of no use to anybody, and
 * rates are found only to 1e-4.
 */
export const worthTelling = 1e-3
