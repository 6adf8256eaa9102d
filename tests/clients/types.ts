// Holds where it compiles: no body of a request, and none of an answer, is `any` or `unknown`.
import type { operations } from "workforce-client";

type Json<T> = T extends { content: { "application/json": infer Body } } ? Body : never;
type Request<O> = O extends { requestBody?: infer Body } ? Json<Body> : never;
type Answers<O> = O extends { responses: infer All } ? { [Status in keyof All]: Json<All[Status]> }[keyof All] : never;
type IsLoose<T> = unknown extends T ? true : false;
type Loose = { [Name in keyof operations]: true extends IsLoose<Request<operations[Name]>> | IsLoose<Answers<operations[Name]>> ? Name : never };

export const loose: Record<Loose[keyof operations], never> = {};
