import { readBundle } from './bundle.ts';

// For images: builds the console and keeps it.
await readBundle();
