export type { ApiProblem, Attempt, CallFailure, ErrorAnswer } from "./errors.ts";
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  CallError,
  ConfigurationError,
  ConnectionError,
  InvalidInputError,
  LandingPagesError,
  NotFoundError,
  RateLimitError,
  ResponseValidationError,
  ServerError,
  TimeoutError,
} from "./errors.ts";
