/**
 * The random problems of the laws are the same in every run of the tests, so that a failure is of the change under test: `SEED=n`
 * draws others, and a long run (`npm run test:long`) draws its own, which fast-check prints where a law fails.
 */
import fc from 'fast-check'

const { SEED, LONG } = process.env
if (SEED) fc.configureGlobal({ seed: Number(SEED) })
else if (!LONG) fc.configureGlobal({ seed: 20_261_122 })
