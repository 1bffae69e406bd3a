/**
 * The random problems of laws are the same in every run, so that a failure comes from the change under test. `SEED=n`
 * draws others, and a long run (`npm run test:long`) draws its own seed, which fast-check prints if a law fails.
 */
import fc from 'fast-check'

const { SEED, LONG } = process.env
if (SEED) fc.configureGlobal({ seed: Number(SEED) })
else if (!LONG) fc.configureGlobal({ seed: 20_261_122 })
