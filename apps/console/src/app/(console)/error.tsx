'use client';

/** Where the page could not be made, but the shell stands. */
export { Failure as default } from '../../shell/failure';
