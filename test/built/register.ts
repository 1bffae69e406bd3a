/** `tsx --import ./test/built/register.ts`: scripts run on built modules. */
import { register } from 'node:module'

register('./hooks.ts', import.meta.url)
