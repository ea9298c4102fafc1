import { buildSchema, graphql, parse, print, validate } from "graphql";

const schema = buildSchema("type Query { hello(name: String!): String, list: [Int!] }");

export const executes = () =>
  graphql({ schema, source: '{ hello(name: "Ada") list }', rootValue: { hello: ({ name }) => `hello ${name}`, list: async () => [1, 2] } });
export const validates = () => validate(schema, parse("{ nope }")).map(({ message, locations }) => [message, locations]);
export const prints = () => print(parse("query Q($a:Int){x(a:$a){...F}} fragment F on X{y}"));
