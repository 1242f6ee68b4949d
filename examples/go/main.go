// Asks a position oracle from Go, made from the contract alone.
//
//	sh generate.sh && go mod tidy && go run . 127.0.0.1:50051 'nim:[3,5,7]'
//
// A token goes along where the environment has one in ORACLE_TOKEN.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	oracle "example/position_oracle/v1"
)

func main() {
	address, text := "127.0.0.1:50051", "nim:[3,5,7]"
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	if len(os.Args) > 2 {
		text = os.Args[2]
	}
	if err := ask(address, text); err != nil {
		said := status.Convert(err)
		fmt.Fprintf(os.Stderr, "%s: %s: %s\n", address, said.Code(), said.Message())
		os.Exit(1)
	}
}

func ask(address, text string) error {
	options := grpc.WithDefaultCallOptions(grpc.ForceCodec(wire{}))
	connection, err := grpc.Dial(address, grpc.WithInsecure(), options)
	if err != nil {
		return err
	}
	defer connection.Close()
	client := oracle.NewPositionOracleClient(connection)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if token := os.Getenv("ORACLE_TOKEN"); token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}

	position := &oracle.Position{Text: text}
	found, err := client.ListWinningMoves(ctx, &oracle.ListWinningMovesRequest{Position: position})
	if err != nil {
		return err
	}
	answer := found.GetAnswer()
	fmt.Printf("%s: %s (%s)\n", answer.GetPosition().GetText(), answer.GetOutcome(), answer.GetCertainty())
	for _, move := range found.GetMoves() {
		fmt.Printf("%s: %s\n", move.GetAction().GetWords(), move.GetChild().GetText())
	}

	batch, err := client.BatchGetOutcomes(ctx, &oracle.BatchGetOutcomesRequest{
		Positions: packed("nim", [][]int32{{1, 2}, {4, 4}}),
	})
	if err != nil {
		return err
	}
	var letters []string
	for _, outcome := range batch.GetOutcomes() {
		letters = append(letters, "?PN"[outcome:outcome+1])
	}
	fmt.Printf("nim:[1,2] and nim:[4,4]: %s\n", strings.Join(letters, ", "))

	games, err := client.ListGames(ctx, &oracle.ListGamesRequest{})
	if err != nil {
		return err
	}
	fmt.Printf("%d games of tables %s\n", len(games.GetGames()), games.GetTables().GetVersion())

	// What is wrong is said with a code, and for programs in google.rpc details.
	wrong := &oracle.Position{Text: "nim:[3,-1]"}
	_, err = client.GetOutcome(ctx, &oracle.GetOutcomeRequest{Position: wrong})
	fmt.Printf("nim:[3,-1]: %s\n", status.Code(err))
	return nil
}

// wire is the wire format. Releases of grpc-go that bring it themselves need none; older ones have
// one for messages of the first generation of protocol buffers in Go.
type wire struct{}

func (wire) Marshal(message interface{}) ([]byte, error) {
	return proto.Marshal(message.(proto.Message))
}

func (wire) Unmarshal(data []byte, message interface{}) error {
	return proto.Unmarshal(data, message.(proto.Message))
}

func (wire) Name() string { return "proto" }

// packed puts positions of one game together as the contract says: int32, little-endian.
func packed(game string, positions [][]int32) *oracle.PackedPositions {
	var coordinates []byte
	for _, position := range positions {
		for _, number := range position {
			coordinates = binary.LittleEndian.AppendUint32(coordinates, uint32(number))
		}
	}
	return &oracle.PackedPositions{
		Game:        &oracle.Game{Text: game},
		Width:       int32(len(positions[0])),
		Coordinates: coordinates,
	}
}
