/**
 * The versions that names were checked against: the last release of pytorch/torchtitan, which reads TOML, and a commit
 * of main (August 2026), which does not.
 */
export const torchtitanVersion = 'v0.2.2'

export const torchtitanMain = 'b5bcd76'
