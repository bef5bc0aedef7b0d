// current.ts - the document this page is about. There is one, from the page's first moment to its last.
import { findResources } from "./resources";
import { Trace } from "./trace";

export const trace = new Trace(findResources(document));
